/** Decodes a path as an HTTP API does before it passes the path on: twice. */

/**
 * Observed at a real HTTP API: `%2F` arrives as a slash and so does `%252F`; `%3F` cuts the path off, `%253F` does not;
 * `%25` before characters that are not hexadecimal is refused with 400. So: decode, cut at the question mark, decode again.
 */
export function decodePath(path: string): string | undefined {
  try {
    const [kept = ''] = decodeURIComponent(path).split('?');
    return decodeURIComponent(kept);
  } catch {
    return undefined;
  }
}
