/** Tells by its first bytes what a file is, as far as it matters for taking it. */

export type Kind = 'pdf' | 'png' | 'jpeg' | 'gif' | 'webp' | 'office zip' | 'compound file' | 'text' | 'other';

type Signature = { kind: Kind; at: number; bytes: string };

/** In Latin-1. The first that fits decides. */
const SIGNATURES: readonly Signature[] = [
  { kind: 'pdf', at: 0, bytes: '%PDF-' },
  { kind: 'png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { kind: 'jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { kind: 'gif', at: 0, bytes: 'GIF87a' },
  { kind: 'gif', at: 0, bytes: 'GIF89a' },
  { kind: 'webp', at: 8, bytes: 'WEBP' },
  { kind: 'compound file', at: 0, bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
];

/** Formats whose head may pass for text, or be text: archives, scripts of a shell are text and stay so. */
const OTHERS: readonly Omit<Signature, 'kind'>[] = [
  { at: 257, bytes: 'ustar' },
  { at: 0, bytes: '!<arch>\n' },
  { at: 0, bytes: '070701' },
  { at: 32_769, bytes: 'CD001' },
];

const ZIP = 'PK\x03\x04';
/** What office programs put first into their ZIP. */
const OFFICE_ENTRY =
  /^(\[Content_Types\]\.xml|_rels\/|docProps\/|word\/|xl\/|ppt\/|customXml\/|mimetypeapplication\/vnd\.oasis)/;
const ZIP_NAME_AT = 30;

export function kindOf(head: Uint8Array): Kind {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const starts = ({ at, bytes: wanted }: Omit<Signature, 'kind'>) =>
    bytes.subarray(at, at + wanted.length).equals(Buffer.from(wanted, 'latin1'));
  const known = SIGNATURES.find(starts);
  if (known) return known.kind;
  if (starts({ at: 0, bytes: ZIP })) {
    return OFFICE_ENTRY.test(bytes.toString('latin1', ZIP_NAME_AT, ZIP_NAME_AT + 64)) ? 'office zip' : 'other';
  }
  return !OTHERS.some(starts) && isText(bytes) ? 'text' : 'other';
}

const BYTE_ORDER_MARKS = [
  ['utf-16le', '\xff\xfe'],
  ['utf-16be', '\xfe\xff'],
] as const;

/** Text in UTF-8, in UTF-16 with its mark, or in an 8-bit code page: it holds no control characters but white space. */
function isText(bytes: Buffer): boolean {
  const mark = bytes.toString('latin1', 0, 2);
  const wide = BYTE_ORDER_MARKS.find(([, wanted]) => mark === wanted);
  const units = wide ? Array.from(new TextDecoder(wide[0]).decode(bytes), (unit) => unit.charCodeAt(0)) : bytes;
  return !units.some(isControl);
}

const SPACE_FROM = 0x09; // tab, line feed, vertical tab, form feed, carriage return
const SPACE_TO = 0x0d;
const ESCAPE = 0x1b; // logs of a terminal hold it
const DELETE = 0x7f;

const isControl = (code: number): boolean =>
  code === DELETE || (code < 0x20 && (code < SPACE_FROM || code > SPACE_TO) && code !== ESCAPE);
