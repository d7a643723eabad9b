/** Bytes to text: by the mark at their head, as UTF-8 if they are, by the encoding a markup declares, else Windows-1252. */

const BYTE_ORDER_MARKS = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** Where XML and HTML name their encoding, both only at the head. */
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)|<meta[^>]*?\scharset\s*=\s*["']?([\w.:-]+)/i;
const DECLARED_WITHIN = 1_024;

export function decodeText(bytes: Uint8Array): string {
  const mark = BYTE_ORDER_MARKS.find((one) => one.bytes.every((byte, at) => bytes[at] === byte));
  if (mark) return new TextDecoder(mark.encoding).decode(bytes);
  return decodeStrictly(bytes, 'utf-8') ?? decodeStrictly(bytes, declaredIn(bytes)) ?? decodeAs(bytes, 'windows-1252');
}

function declaredIn(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, DECLARED_WITHIN)).toString('latin1');
  const [, byXml, byHtml] = DECLARED.exec(head) ?? [];
  return byXml ?? byHtml ?? 'windows-1252';
}

/** Nothing when the bytes are not in that encoding, or nobody knows it. */
function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** By any name of the WHATWG list; what nobody knows is read as Windows-1252. */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
