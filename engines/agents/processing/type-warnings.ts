/** Warns of documents that are of another type than the caller said. */
import { bounded, quotedName } from '../../../shared/core/problem.ts';
import type { DocumentKind } from '../../documents/document.ts';
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

export const typeWarnings = (documents: readonly DocumentState[]): string[] =>
  bounded(
    documents.filter(isProcessed).flatMap(({ document, type, kind }) => {
      const said = type === null ? kind : BY_WORD.get(type.trim().toLowerCase().replace(/^\./, ''));
      if (type === null || said === kind) return [];
      const field = `input.documents.${document - 1}.type`;
      return said === undefined
        ? [`${field} is not a known type: ${quotedName(type)}. The document was read as ${kind}.`]
        : [`${field} says ${said}, but the document is ${kind} and was read as that.`];
    }),
  );
