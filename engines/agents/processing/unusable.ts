/** Why a document could not be used: a closed set of reasons, each with words that follow its name. */
import type { DocumentFailure } from '../../documents/failure.ts';

const WORDS = {
  refused: 'is at an address that is not taken',
  unreachable: 'could not be fetched',
} as const;

export type UnusableReason = keyof typeof WORDS | DocumentFailure['reason'];
export type Unusable = Error & { name: 'Unusable'; reason: keyof typeof WORDS };

export const unusable = (reason: keyof typeof WORDS, cause?: unknown): Unusable =>
  Object.assign(new Error(WORDS[reason], { cause }), { name: 'Unusable' as const, reason });

export const isUnusable = (error: unknown): error is Unusable => error instanceof Error && error.name === 'Unusable';
