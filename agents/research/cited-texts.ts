/** Documents as the rules on their texts see them. */

import { publisherName } from '../source-names.ts';
import type { ChosenDocument } from './research-request.ts';

export const citedTexts = (documents: readonly ChosenDocument[]) =>
  documents.map((document) => ({
    document: document.document,
    title: document.title,
    publisher: publisherName(document),
    publishedAt: document.published_at,
    text: document.text,
  }));
