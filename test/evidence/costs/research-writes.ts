/** Which rows and objects a research writes, why, and who reads them. */
import { markdownTable } from '../promises/markdown-table.ts';

const ROWS = [
  [
    'TASK',
    'claim, progress, the fence of each checkpoint, end and delivery',
    'every call about the task, lists, the reconciler',
  ],
  [
    'STAGE',
    'the work of the stages in which a model answered, packed',
    'the next attempt; GET /tasks/{task_id} while it runs',
  ],
  ['EVENTS', 'what was done, where a checkpoint has new events', 'the activity of the task, the next attempt'],
  ['DAY', 'tokens, every 20 seconds and at the end', 'GET /usage, budgets of the organization'],
  ['RESULT', 'the results, once', 'GET /tasks/{task_id} and its results, the webhook'],
  ['an object: the report', 'the file of the report', 'its download'],
  ['an object: the texts of sources', 'what the citations quote', 'GET /tasks/{task_id}/results/sources/{source}'],
];

export const RESEARCH_WRITES = `What a research writes, and who reads it; what nobody reads is not written:

${markdownTable(['Row', 'What it keeps', 'Who reads it'], ROWS)}`;
