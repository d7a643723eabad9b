/** The template of a notification. */

/** The template of a notification: the first of these words in its free-text type, else a digest. */
const WORDS = ['report', 'reminder'] as const;

export type NotificationKind = 'digest' | (typeof WORDS)[number];

const wordsOf = (type: string): string[] => type.toLowerCase().split(/[\s_-]+/);

export function kindOfNotification(type: string): NotificationKind {
  const words = wordsOf(type);
  return WORDS.find((word) => words.includes(word)) ?? 'digest';
}

/** An alert without a condition is sent as a digest. */
export const isAlert = (type: string): boolean => wordsOf(type).includes('alert');
