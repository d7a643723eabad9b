/** The template of a notification: the first of these words that stands in its free-text type, else a digest. */

const WORDS = ['alert', 'report', 'reminder'] as const;

export type NotificationKind = 'digest' | (typeof WORDS)[number];

export function kindOfNotification(type: string): NotificationKind {
  const words = type.toLowerCase().split(/[\s_-]+/);
  return WORDS.find((word) => words.includes(word)) ?? 'digest';
}
