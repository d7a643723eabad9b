/** How reading a document ends badly: a closed set of reasons, each with words that follow a file's name. */
import { DOCUMENT_LIMITS } from './limits.ts';

const REASON_TEXTS = {
  encrypted: 'is protected by a password',
  corrupt: 'is damaged or is not what its name says',
  empty: 'holds no text',
  tooLarge: 'is too large to be read',
  tooSlow: 'took too long to be read',
  tooManyOperators: `has a page with more than ${DOCUMENT_LIMITS.operators.toLocaleString('en')} drawing operators`,
  unsupported: 'is of a type that cannot be read',
  pictures: 'holds its text in pictures of a kind that cannot be read',
} as const;

export type DocumentFailureReason = keyof typeof REASON_TEXTS;
export type DocumentFailure = Error & { name: 'DocumentFailure'; reason: DocumentFailureReason };

export const unreadable = (reason: DocumentFailureReason, cause?: unknown): DocumentFailure =>
  Object.assign(new Error(REASON_TEXTS[reason], { cause }), { name: 'DocumentFailure' as const, reason });

export const isDocumentFailure = (error: unknown): error is DocumentFailure =>
  error instanceof Error && error.name === 'DocumentFailure';
