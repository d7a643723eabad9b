/** One document: fetched, read, and the named rules applied to it. What is wrong with it becomes part of what is known. */

import type { Outbound } from '../../../shared/ports.ts';
import type { Document, Part } from '../../documents/document.ts';
import type { Documents } from '../../documents/documents.ts';
import { isDocumentFailure } from '../../documents/failure.ts';
import { fetchDocument } from './fetch-document.ts';
import { applyRules, type FoundValue } from './rules/apply-rules.ts';
import type { RuleName } from './rules/named-rules.ts';
import type { DocumentState } from './state.ts';
import { isUnusable } from './unusable.ts';

/** Of what is kept of one document. */
export type Most = { values: number; characters: number };

type Ports = { documents: Documents; outbound: Outbound };
type ReadDocumentRequest = {
  number: number;
  url: string;
  type: string | null;
  rules: readonly RuleName[];
  most: Most;
  ownHosts: string[];
  organization: string;
  signal: AbortSignal;
};

/** `parts` are there when it could be read. */
export type ReadDocumentResult = { state: DocumentState; parts?: Part[] };

export async function readDocument(ports: Ports, asked: ReadDocumentRequest): Promise<ReadDocumentResult> {
  const { number, url, type, rules, most, signal } = asked;
  let name = '';
  try {
    const source = await fetchDocument(ports.outbound, asked);
    name = source.name;
    const read = await ports.documents.read(source, asked);
    const found = distinct(await applyRules(read.parts, rules, signal));
    const known = { document: number, url, name, type, kind: read.kind, size_bytes: source.bytes.length };
    const values = within(found, most);
    const left = found.length - values.length;
    return {
      state: { ...known, status: 'processed', ...sizesOf(read), values, values_left_out: left, asked: [] },
      parts: read.parts,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUnusable(error) && !isDocumentFailure(error)) throw error;
    const { reason, message } = error;
    return { state: { document: number, url, name, type, status: 'failed', reason, message } };
  }
}

/** A value that stands twice at one place is told once. */
function distinct(found: readonly FoundValue[]): FoundValue[] {
  const seen = new Set<string>();
  return found.filter(({ rule, value, place, excerpt }) => {
    const key = JSON.stringify([rule, value, place, excerpt]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Tables make a few values as long as the document itself. */
function within(found: readonly FoundValue[], most: Most): FoundValue[] {
  const kept: FoundValue[] = [];
  let left = most.characters;
  for (const one of found.slice(0, most.values)) {
    left -= JSON.stringify(one).length;
    if (left < 0) break;
    kept.push(one);
  }
  return kept;
}

const READABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}\s]/gu;
const LOST = /[\uFFFD\uE000-\uF8FF]/g;
/** Letters read off a picture are wrong now and then. */
const OCR_QUALITY = 0.8;
/** Of a long text, enough to judge by. */
const JUDGED = 200_000;

function sizesOf({ kind, parts }: Document) {
  const characters = parts.reduce((sum, { text }) => sum + text.length, 0);
  const text = parts
    .map((part) => part.text)
    .join('\n')
    .slice(0, JUDGED);
  const readable = [...text.replaceAll(LOST, '\0').matchAll(READABLE)].length;
  const share = text.length === 0 ? 0 : Math.min(1, readable / [...text].length);
  return { places: parts.length, characters, quality: share * (kind === 'image' ? OCR_QUALITY : 1) };
}
