/** Warnings about documents that were processed. */

import type { DocumentKind } from '../../engines/documents/document.ts';
import { limitWarnings, quotedName } from '../../shared/core/warnings.ts';
import { type DocumentState, isProcessed } from './state.ts';

const KINDS: Record<DocumentKind, readonly string[]> = {
  pdf: [],
  docx: ['docm'],
  xlsx: ['xlsm'],
  pptx: ['pptm'],
  odt: [],
  ods: [],
  odp: [],
  doc: [],
  xls: [],
  ppt: [],
  rtf: [],
  html: ['htm', 'xhtml'],
  csv: ['tsv', 'tab'],
  text: ['txt', 'plain', 'md', 'markdown', 'json', 'xml', 'yaml', 'yml', 'log'],
  image: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'picture', 'scan'],
};

const BY_WORD = new Map<string, string>(
  Object.entries(KINDS).flatMap(([kind, also]) => [kind, ...also].map((word): [string, string] => [word, kind])),
);

/** Warns about documents whose type is not the one that the caller gave. */
export const typeWarnings = (documents: readonly DocumentState[]): string[] =>
  limitWarnings(
    documents.filter(isProcessed).flatMap(({ document, type, kind }) => {
      const statedKind = type === null ? kind : BY_WORD.get(type.trim().toLowerCase().replace(/^\./, ''));
      if (type === null || statedKind === kind) return [];
      const field = `input.documents.${document - 1}.type`;
      return statedKind === undefined
        ? [`${field} is not a known type: ${quotedName(type)}. The document was read as ${kind}.`]
        : [`${field} is ${statedKind}, but the document is ${kind} and was read as ${kind}.`];
    }),
  );

/** Warns about documents in which something was not searched for, as that would have taken too long. */
export const slowWarnings = (documents: readonly DocumentState[]): string[] =>
  limitWarnings(
    documents
      .filter(isProcessed)
      .flatMap(({ document, name, unsearched }) =>
        unsearched
          ? [
              `Document ${document} (${name}) took too long to be searched: it has no ${unsearched.join(' and no ')} from rules here.`,
            ]
          : [],
      ),
  );

/** An error message lists at most this many unusable documents. */
export const MAX_LISTED = 5;
