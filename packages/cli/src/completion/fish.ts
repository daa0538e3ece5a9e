import type { CompletionPoint, Candidate } from './completion-points.ts';

/** Returns the completion script for fish. */
export function fishCompletion(points: readonly CompletionPoint[]): string {
  const paths = points.filter(({ path }) => path.length > 0).map(({ path }) => `'/${path.join('/')}'`);
  return `# Completes berth in fish: berth completion fish | source
function __berth_place
    set -l place ''
    for word in (commandline -opc)[2..]
        switch "$place/$word"
            case ${paths.join(' ')}
                set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c berth -f
${points.flatMap(lines).join('\n')}
`;
}

function lines({ path, words, options, takesFolder }: CompletionPoint): string[] {
  const head = `complete -c berth -n '__berth_place "${path.map((word) => `/${word}`).join('')}"'`;
  return [
    ...words.map((word) => `${head} -a ${word.word} -d ${quoted(word)}`),
    ...(takesFolder ? [`${head} -a '(__fish_complete_directories)'`] : []),
    ...options.map((option) => `${head} -l ${option.word.slice(2)} -d ${quoted(option)}`),
  ];
}

function quoted({ effect }: Candidate): string {
  return `'${effect.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
