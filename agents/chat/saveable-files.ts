/** Which files a model may save as text, and under which names: those that are harmless to open on every system. */

import { hasBinaryExtension } from '../../shared/files/accepted-files.ts';

/** Formats of text, none of which a system runs when it is opened. HTML gets a policy, and CSV its apostrophes. */
const TEXT_EXTENSIONS: ReadonlySet<string> = new Set([
  ...['', 'txt', 'text', 'log', 'md', 'markdown', 'rst', 'adoc', 'tex', 'bib'],
  ...['csv', 'tsv', 'tab', 'json', 'jsonl', 'ndjson', 'geojson', 'xml', 'yaml', 'yml', 'toml', 'sql'],
  ...['html', 'htm', 'srt', 'vtt', 'po', 'pot'],
]);

export const extensionOf = (name: string): string => /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Whether a text in brackets can be the name of a document, by its extension. */
export const isDocumentName = (name: string): boolean =>
  extensionOf(name) !== '' && (TEXT_EXTENSIONS.has(extensionOf(name)) || hasBinaryExtension(name));

/** Why this text is not saved under this name, or undefined. */
export function textFault(name: string, text: string): string | undefined {
  const extension = extensionOf(name);
  if (extension === 'xlsx') return 'Only text can be saved with save_file. Save a workbook with save_table.';
  if (extension === 'pdf') return 'Only text can be saved with save_file. Save a PDF with save_report.';
  if (!TEXT_EXTENSIONS.has(extension))
    return 'Only text can be saved; choose Markdown, CSV, JSON, XML, YAML, SQL, HTML or plain text.';
  if (extension === 'xml' && isActiveXml(text))
    return 'XML is saved as UTF-8 without a document type, processing instructions, and elements of XHTML, SVG or XSLT.';
  return undefined;
}

export const isSameName = (name: string, otherName: string): boolean => foldedName(name) === foldedName(otherName);

/** Why a file cannot have this name beside the others, or undefined. */
export function nameFault(name: string, otherNames: Iterable<string>): string | undefined {
  if (DEVICE.test(name) || name === NAME_OF_A_PROTOTYPE)
    return `A file called ${name} cannot be unpacked everywhere; choose another name.`;
  for (const otherName of otherNames)
    if (otherName !== name && isSameName(otherName, name))
      return `The name differs from that of ${otherName} in case only; use exactly that name to replace the file, or another one.`;
  return undefined;
}

/** Elements that a browser runs, and instructions that name a stylesheet or another program to open the file with. */
const ACTIVE_XML = /<!DOCTYPE|<\?(?!xml\s)|1999\/xhtml|2000\/svg|1999\/XSL/i;
const CHARACTER_REFERENCE = /&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi;
/** In another encoding, other bytes than these could mean the same. */
const OTHER_ENCODING = /^\ufeff?<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])/i;
const CONTROL = /(?![\n\r\t])\p{Cc}/u;

function isActiveXml(text: string): boolean {
  const resolved = text.replaceAll(CHARACTER_REFERENCE, (_, hexadecimal?: string, decimal?: string) => {
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
  return ACTIVE_XML.test(resolved) || OTHER_ENCODING.test(text) || CONTROL.test(text);
}

/** Names of devices, which Windows cannot unpack, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i;

/** Programs that keep unpacked files by name in an object would lose a file with this name, or fail. */
const NAME_OF_A_PROTOTYPE = '__proto__';

/** Names that are one on systems that ignore case. */
const foldedName = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();
