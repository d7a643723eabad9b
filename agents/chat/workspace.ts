/** The workspace of a chat task: documents in pages, rulesets, images, and the files that it saved. */

import { describeImage, type ImageDescription } from '../../engines/documents/formats/image-header.ts';
import type { QueryReply } from '../../engines/documents/sheets/run-query.ts';
import type { OutputSheet } from '../../engines/outputs/workbook.ts';
import type { RenderReport } from '../../engines/reports/report-document.ts';
import type { Passage } from '../../engines/retrieval/passages.ts';
import type { FoundPassage } from '../../engines/retrieval/search.ts';
import type { PromptPicture } from '../generate-answer.ts';
import type { WorkspacePage } from './document-pages.ts';
import type { ToolResult } from './tool-results.ts';

/** An image among a task's files that is sent to a model which accepts images. */
export type Picture = { mimeType: ImageDescription['mimeType']; bytes: Uint8Array; page?: number };

/**
 * The first call of each step has all images. The limits for one image are those of Amazon Bedrock, the strictest provider.
 */
export const PICTURE_LIMITS = { pictures: 10, pictureBytes: 3_750_000, allBytes: 10_000_000, side: 8_000 } as const;

/**
 * Returns a function that is called with one file after the other. It returns undefined for a file that is not an
 * image, is too large, or exceeds the limits.
 */
export function pictureTaker(): (bytes: Uint8Array) => Picture | undefined {
  let count = 0;
  let length = 0;
  return (bytes) => {
    const isMore = count === PICTURE_LIMITS.pictures || length + bytes.length > PICTURE_LIMITS.allBytes;
    if (isMore || bytes.length > PICTURE_LIMITS.pictureBytes) return undefined;
    const image = describeImage(bytes);
    if (!image || Math.max(image.width, image.height) > PICTURE_LIMITS.side) return undefined;
    count++;
    length += bytes.length;
    return { mimeType: image.mimeType, bytes };
  };
}

/** `pictures` are sent to the model: an image file, or pages of a PDF. Their text is in the pages in any case. */
export type WorkspaceFile = {
  name: string;
  kind: string;
  pages: WorkspacePage[];
  pictures?: Picture[];
  /** For workbooks and CSV files: loads the bytes, because queries read the typed cells again. */
  load?: (signal: AbortSignal) => Promise<Uint8Array>;
};
/** The file's name is not part of the request, as it is untrusted text. */
export const shownPictures = ({ pictures = [] }: WorkspaceFile): PromptPicture[] =>
  pictures.map(({ mimeType: mediaType, bytes, page }) => ({
    name: page === undefined ? 'Picture of the document' : `Picture of page ${page}`,
    mediaType,
    bytes,
  }));

export type RulesetText = { name: string; text: string };
/** A file in a non-text format has its bytes in `base64`, and its text content in `text`. */
export type SavedFile = {
  name: string;
  text: string;
  base64?: string;
  /** The PDF that this page accompanies, because the PDF cannot show everything, as its warning says. */
  beside?: string;
  warning?: string;
};

/** The warnings about saved files. */
export const warningsOf = (saved: readonly SavedFile[]): string[] => saved.flatMap(({ warning }) => warning ?? []);

export type Workspace = {
  files: WorkspaceFile[];
  rulesets: RulesetText[];
  /** Maps names to files. Saving a file again replaces it. */
  saved: Map<string, SavedFile>;
  /** The latest results in this step, the oldest first. */
  toolResults: ToolResult[];
  /** The sentences and tables of files that this step saved, as Markdown, by the names of the files. */
  written: Map<string, string>;
  /** Queries the tables of the files with one SELECT; without it, describes them. */
  query(sql?: string): Promise<QueryReply>;
  /** The passages nearest to a query, the nearest first. */
  search(query: string, passages: readonly Passage[]): Promise<FoundPassage[]>;
  render: RenderReport;
  writeWorkbook(sheets: readonly OutputSheet[]): Promise<Uint8Array>;
  now(): number;
};

/** The passages that can be quoted: the visible parts. */
export const passagesOf = (files: readonly WorkspaceFile[]): Passage[] =>
  visibleParts(files).map(({ passage }) => passage);

/** The passages with the indexes of their files. */
export const visibleParts = (files: readonly WorkspaceFile[]): { file: number; passage: Passage }[] =>
  files.flatMap((workspaceFile, file) =>
    filePartsOf(workspaceFile).flatMap(({ place, text, hidden }) =>
      hidden ? [] : [{ file, passage: { source: workspaceFile.name, place, text } }],
    ),
  );

export const filePartsOf = ({ pages }: Pick<WorkspaceFile, 'pages'>): WorkspacePage['parts'] =>
  pages.flatMap(({ parts }) => parts);

const MAX_RESULTS = 60;
const MAX_RESULT = 4_000;

export function recordResult({ toolResults }: Workspace, { tool, input, output }: ToolResult): void {
  toolResults.push({ tool, input: input.slice(0, MAX_RESULT), output: output.slice(0, MAX_RESULT) });
  if (toolResults.length > MAX_RESULTS) toolResults.shift();
}

export const weightOfAll = (files: readonly WorkspaceFile[]): number =>
  files.reduce((sum, file) => sum + weightOf(file), 0);

/** The memory that the file takes: its characters, and the bytes of its pictures. */
const weightOf = ({ pages, pictures = [] }: WorkspaceFile): number =>
  pages.reduce(
    (sum, { parts }) => sum + parts.reduce((length, { text }) => length + text.length, 0),
    pictures.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
