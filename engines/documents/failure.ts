/** How reading a document ends badly: a closed set of reasons, each with words that follow a file's name. */
import { LIMITS } from './limits.ts';

const WORDS = {
  encrypted: 'is protected by a password',
  corrupt: 'is damaged or is not what its name says',
  empty: 'holds no text',
  tooLarge: 'is too large to be read',
  tooSlow: 'took too long to be read',
  tooManyOperators: `has a page with more than ${LIMITS.operators.toLocaleString('en')} drawing operators`,
  unsupported: 'is of a type that cannot be read',
  pictures: 'holds its text in pictures of a kind that cannot be read',
} as const;

export type Reason = keyof typeof WORDS;
export type DocumentFailure = Error & { name: 'DocumentFailure'; reason: Reason };

export const unreadable = (reason: Reason, cause?: unknown): DocumentFailure =>
  Object.assign(new Error(WORDS[reason], { cause }), { name: 'DocumentFailure' as const, reason });

export const isDocumentFailure = (error: unknown): error is DocumentFailure =>
  error instanceof Error && error.name === 'DocumentFailure';
