/** The path as an HTTP API hands it on: decoded, and more than once. */

/**
 * Seen at a real HTTP API: `%2F` comes as a slash and so does `%252F`; `%3F` cuts the path off, `%253F` does not; `%25`
 * before what is no number is refused with 400. So: decode, cut at the question mark, decode again.
 */
export function handedOn(path: string): string | undefined {
  try {
    const [kept = ''] = decodeURIComponent(path).split('?');
    return decodeURIComponent(kept);
  } catch {
    return undefined;
  }
}
