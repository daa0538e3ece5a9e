import type { CompletionPoint, Candidate } from './completion-points.ts';

/** Returns the completion script for zsh. */
export function zshCompletion(points: readonly CompletionPoint[]): string {
  const paths = points.filter(({ path }) => path.length > 0).map(({ path }) => `/${path.join('/')}`);
  return `#compdef berth
# Completes berth in zsh: eval "$(berth completion zsh)", below compinit
_berth() {
  local place='' word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place/$word" in
      ${paths.join('|')}) place="$place/$word" ;;
    esac
  done
  case "$place" in
${points.map(caseArm).join('\n')}
  esac
}
compdef _berth berth
`;
}

function caseArm({ path, words, options, takesFolder }: CompletionPoint): string {
  return [
    `    '${path.map((word) => `/${word}`).join('')}')`,
    `      commands=(${words.map(entry).join(' ')})`,
    `      options=(${options.map(entry).join(' ')})`,
    ...(words.length > 0 ? ["      _describe -t commands 'command' commands"] : []),
    ...(takesFolder ? ['      _path_files -/'] : []),
    "      [[ $PREFIX == -* ]] && _describe -o -t options 'option' options",
    '      ;;',
  ].join('\n');
}

function entry({ word, effect }: Candidate): string {
  return `'${`${word}:${effect}`.replaceAll("'", "'\\''")}'`;
}
