/** JSON as the parts of a token carry it. */

export const toBase64urlJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Undefined when it is none. */
export function parseBase64urlJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
