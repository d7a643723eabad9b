/** What reading a document gives: its text as Markdown in ordered parts, each saying where in the document it stands. */

export type DocumentPart = {
  /** `page 3`, `sheet Costs`, `slide 2`, `section Payment`, `lines 10-40`: for a citation. */
  label: string;
  text: string;
  /** Where the part begins in a plain text, so that a citation may count lines from there. */
  firstLine?: number;
};

export type DocumentKind =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odt'
  | 'ods'
  | 'odp'
  | 'doc'
  | 'xls'
  | 'ppt'
  | 'rtf'
  | 'html'
  | 'csv'
  | 'text'
  | 'image';

export type Document = { kind: DocumentKind; parts: DocumentPart[] };

export type DocumentSource = { bytes: Uint8Array; name: string };

/** Files that the readers of pictures load; none is ever fetched from elsewhere. */
export type OcrAssets = {
  ocrProgram: string;
  ocrLanguage: string;
};
