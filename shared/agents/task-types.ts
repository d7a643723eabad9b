/** The three kinds of background agents, and the stages each goes through. */

export const TASK_TYPES = ['research_agent', 'processing_agent', 'notification_agent'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** Their names stand in the task's item, which bounds them: test/tasks/row-size.test.ts. */
export const STAGES = {
  research_agent: ['planning', 'gathering', 'ranking', 'reading', 'writing'],
  processing_agent: ['reading', 'asking', 'writing'],
  notification_agent: ['gathering', 'composing', 'sending', 'reporting'],
} as const satisfies Record<TaskType, readonly [string, ...string[]]>;

/** What a task may name as a source. */
export const KNOWN_SOURCES: readonly string[] = ['financial_reports', 'market_data', 'news_feeds'];
