/** What a server alone says of the encoding is heard, so that whoever reads later needs only the bytes. */
import { isUtf8 } from 'node:buffer';
import { decodeAs } from '../documents/text/decode-text.ts';

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
/** A mark at the head says more than the server. */
const BYTE_ORDER_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;

/** Many servers name an encoding that they do not use: what is UTF-8 is left as it is. */
export function toUtf8Bytes(bytes: Uint8Array, contentType = ''): Uint8Array {
  const [, charset] = CHARSET.exec(contentType) ?? [];
  const isMarked = BYTE_ORDER_MARKS.some((mark) => mark.every((byte, at) => bytes[at] === byte));
  return charset === undefined || isMarked || isUtf8(bytes) ? bytes : Buffer.from(decodeAs(bytes, charset));
}
