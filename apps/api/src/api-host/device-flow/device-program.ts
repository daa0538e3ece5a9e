const MAX_NAME_LENGTH = 40;
/** Characters that are invisible, or that change the order of the others. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Reads what a program calls itself: `client_id`, and the name of its device if it sends `device_name`.
 *
 * @returns Text that is safe to show, such as `berth-cli on ada-laptop`; `null` without a client id.
 */
export function readProgram(form: URLSearchParams): string | null {
  const [program, device] = [readName(form, 'client_id'), readName(form, 'device_name')];
  if (program === '') return null;
  return device === '' ? program : `${program} on ${device}`;
}

function readName(form: URLSearchParams, field: string): string {
  const text = (form.get(field) ?? '').replace(INVISIBLE, ' ').replace(/ +/g, ' ').trim();
  return [...text].slice(0, MAX_NAME_LENGTH).join('').trim();
}
