import type { Candidate, CompletionPoint } from './completion-points.ts';

/** The ends of the names of files that can be published like a folder. */
const SITE_FILES = ['.html', '.zip', '.tar', '.tgz', '.tar.gz', '.tar.zst'];

export function bashCompletion(points: readonly CompletionPoint[]): string {
  return `# Completes berth in bash: eval "$(berth completion bash)"
_berth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' words='' folders='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place/\${COMP_WORDS[index]}" in
      ${quotedPaths(points).join(' | ')}) place="$place/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place" in
${points.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $folders && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -d -- "$current"))
    local pattern
    for pattern in ${SITE_FILES.map((suffix) => `'!*${suffix}'`).join(' ')}; do
      COMPREPLY+=($(compgen -f -X "$pattern" -- "$current"))
    done
  fi
}
complete -F _berth berth
`;
}

function bashCase({ path, words, options, takesFolder }: CompletionPoint): string {
  const allWords = [...words, ...options].map(({ word }) => word).join(' ');
  return `    '${placeOf(path)}') words='${allWords}'${takesFolder ? ' folders=1' : ''} ;;`;
}

export function fishCompletion(points: readonly CompletionPoint[]): string {
  return `# Completes berth in fish: berth completion fish | source
function __berth_place
    set -l place ''
    for word in (commandline -opc)[2..]
        switch "$place/$word"
            case ${quotedPaths(points).join(' ')}
                set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c berth -f
${points.flatMap(fishLines).join('\n')}
`;
}

function fishLines({ path, words, options, takesFolder }: CompletionPoint): string[] {
  const head = `complete -c berth -n '__berth_place "${placeOf(path)}"'`;
  return [
    ...words.map((word) => `${head} -a ${word.word} -d ${quotedEffect(word)}`),
    ...(takesFolder
      ? [
          `${head} -a '(__fish_complete_directories)' ${SITE_FILES.map((suffix) => `-a '(__fish_complete_suffix ${suffix})'`).join(' ')}`,
        ]
      : []),
    ...options.map((option) => `${head} -l ${option.word.slice(2)} -d ${quotedEffect(option)}`),
  ];
}

function quotedEffect({ effect }: Candidate): string {
  return `'${effect.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function zshCompletion(points: readonly CompletionPoint[]): string {
  return `#compdef berth
# Completes berth in zsh: eval "$(berth completion zsh)", below compinit
_berth() {
  local place='' word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
      ${quotedPaths(points).join('|')}) place="$place/$word" ;;
    esac
  done
  case "$place" in
${points.map(zshCase).join('\n')}
  esac
}
compdef _berth berth
`;
}

function zshCase({ path, words, options, takesFolder }: CompletionPoint): string {
  return [
    `    '${placeOf(path)}')`,
    `      commands=(${words.map(entry).join(' ')})`,
    `      options=(${options.map(entry).join(' ')})`,
    ...(words.length > 0 ? ["      _describe -t commands 'command' commands"] : []),
    ...(takesFolder ? ['      _path_files -/', `      _path_files -g '*(${SITE_FILES.join('|')})'`] : []),
    "      [[ $PREFIX == -* ]] && _describe -o -t options 'option' options",
    '      ;;',
  ].join('\n');
}

function entry({ word, effect }: Candidate): string {
  return `'${`${word}:${effect}`.replaceAll("'", "'\\''")}'`;
}

/** Joins the words of a command as the scripts do: an empty text for the program itself, or for example `/deployments/list`. */
function placeOf(path: readonly string[]): string {
  return path.map((word) => `/${word}`).join('');
}

function quotedPaths(points: readonly CompletionPoint[]): string[] {
  return points.filter(({ path }) => path.length > 0).map(({ path }) => `'${placeOf(path)}'`);
}
