/** Documents as the rules on their texts see them. */

import { publisherName } from '../source-names.ts';
import type { Chosen } from './state.ts';

export const citedTexts = (documents: readonly Chosen[]) =>
  documents.map((document) => ({
    document: document.document,
    title: document.title,
    publisher: publisherName(document),
    publishedAt: document.published_at,
    text: document.text,
  }));
