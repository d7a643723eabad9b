/** What a fetched file is called, and of which type its server says it is. */
import type { Fetched } from '../ports.ts';

/** What servers say of any file. */
const UNKNOWN_TYPE = 'application/octet-stream';
const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

/** `Content-Disposition`, else the last part of the path, else nothing. */
export const nameOf = ({ headers, url }: Fetched): string =>
  nameIn(headers['content-disposition'] ?? '') || decoded(new URL(url).pathname.split('/').at(-1) ?? '');

/** Undefined: the server does not say. */
export function typeOf({ headers }: Fetched): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  return TYPE.test(type) && type !== UNKNOWN_TYPE ? type : undefined;
}

/** RFC 6266: the extended form wins over the plain one. */
function nameIn(disposition: string): string | undefined {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decoded(extended);
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return /;\s*filename\s*=\s*([^;\s"]+)/i.exec(disposition)?.[1];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
