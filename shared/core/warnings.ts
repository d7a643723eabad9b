/** Warnings about a valid request of which a part has no effect. */

const MAX_WARNINGS = 20;
const MAX_NAME = 48;
/** Control and invisible characters, lone surrogates and line separators. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name or value from a caller, as a warning may quote it. */
export function quotedName(text: string, max = MAX_NAME): string {
  const short = text.length > max ? `${text.slice(0, max)}…` : text;
  return short === '' ? '""' : short.replaceAll(UNSAFE, '?');
}

/** The first warnings, and how many more there are. */
export function limitWarnings(warnings: readonly string[], more = 0): string[] {
  const listed = warnings.slice(0, MAX_WARNINGS);
  const unlisted = warnings.length - listed.length + more;
  return unlisted === 0 ? listed : [...listed, `${unlisted} more warnings are not listed.`];
}
