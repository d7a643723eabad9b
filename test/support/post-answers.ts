/** What receivers answer to webhooks. */
import type { PostResult } from '../../shared/ports.ts';

type Answer = Extract<PostResult, { status: number }>;

export const answered = (status = 200, more: Partial<Omit<Answer, 'status'>> = {}): Answer => ({
  status,
  retryAfter: undefined,
  answer: '',
  ...more,
});
