/** The name and type of a fetched file. */

import type { FetchedResponse } from '../ports.ts';

/** The type that servers send for files of unknown type. */
const UNKNOWN_TYPE = 'application/octet-stream';
const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

/** From `Content-Disposition`, else the last segment of the path, else empty. */
export const nameOf = ({ headers, url }: FetchedResponse): string =>
  nameIn(headers['content-disposition'] ?? '') || decodeOrSame(new URL(url).pathname.split('/').at(-1) ?? '');

/** `undefined`: the server sends no useful type. */
export function typeOf({ headers }: FetchedResponse): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return TYPE.test(type) && type !== UNKNOWN_TYPE ? type : undefined;
}

/** RFC 6266: the extended parameter wins over the plain one. */
function nameIn(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeOrSame(extended);
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return /;\s*filename\s*=\s*([^;\s"]+)/i.exec(disposition)?.[1];
}

function decodeOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
