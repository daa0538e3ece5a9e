import type { CompletionPoint } from './completion-points.ts';

/** Returns the completion script for bash. */
export function bashCompletion(points: readonly CompletionPoint[]): string {
  const paths = points.filter(({ path }) => path.length > 0).map(({ path }) => `'/${path.join('/')}'`);
  return `# Completes berth in bash: eval "$(berth completion bash)"
_berth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' words='' folders='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place/\${COMP_WORDS[index]}" in
      ${paths.join(' | ')}) place="$place/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place" in
${points.map(caseArm).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $folders && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -d -- "$current"))
  fi
}
complete -F _berth berth
`;
}

function caseArm({ path, words, options, takesFolder }: CompletionPoint): string {
  const all = [...words, ...options].map(({ word }) => word).join(' ');
  const place = path.map((word) => `/${word}`).join('');
  return `    '${place}') words='${all}'${takesFolder ? ' folders=1' : ''} ;;`;
}
