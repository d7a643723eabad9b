/** The tools of a chat task, each with limits. They access only the workspace of this task: no network and no other files. */

import { type ToolSet, tool } from 'ai';
import * as v from 'valibot';
import { calculate } from '../../engines/calculator/calculate.ts';
import { toolSchema } from '../../engines/models/model-schema.ts';
import { TaskFailure } from '../../shared/tasks/task-failure.ts';
import { hasLongRules } from '../prompts/chat.ts';
import type { PictureShow } from './pictures.ts';
import { listFile, readPage, readPlace, runTableQuery, searchFiles, searchRulesets } from './read-tools.ts';
import { readSaved, saveTable, saveText } from './saved-files.ts';
import { saveReport } from './saved-reports.ts';
import { recordResult, type Workspace } from './workspace.ts';

const TABLE_VALUE = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const TABLE_COLUMN = v.object({
  heading: v.string(),
  type: v.picklist(['text', 'number', 'percent', 'currency', 'date', 'boolean']),
  currency: v.optional(v.string()),
});

const ordinal = () => v.pipe(v.number(), v.integer(), v.minValue(1));
const text = () => v.pipe(v.string(), v.minLength(1));

/** Built once: converting a schema to the model's format costs more than most tool calls. */
const INPUTS = {
  outline: toolSchema(v.object({ file: ordinal(), page: v.optional(ordinal()) })),
  place: toolSchema(v.object({ file: ordinal(), place: v.optional(text()), page: v.optional(ordinal()) })),
  picture: toolSchema(v.object({ file: ordinal(), page: v.optional(ordinal()) })),
  sql: toolSchema(v.object({ sql: v.optional(text()) })),
  query: toolSchema(v.object({ query: text() })),
  file: toolSchema(v.object({ name: text(), content: v.string() })),
  saved: toolSchema(v.object({ name: text(), page: v.optional(ordinal()) })),
  expression: toolSchema(v.object({ expression: text() })),
  table: toolSchema(
    v.object({
      name: text(),
      sheets: v.pipe(
        v.array(
          v.object({
            name: v.string(),
            columns: v.pipe(v.array(TABLE_COLUMN), v.minLength(1), v.maxLength(200)),
            rows: v.array(v.array(TABLE_VALUE)),
          }),
        ),
        v.minLength(1),
        v.maxLength(50),
      ),
    }),
  ),
  report: toolSchema(
    v.object({
      name: text(),
      title: text(),
      sections: v.pipe(
        v.array(
          v.object({
            heading: v.string(),
            paragraphs: v.optional(v.array(v.string())),
            items: v.optional(v.array(v.string())),
            table: v.optional(v.object({ columns: v.array(v.string()), rows: v.array(v.array(v.string())) })),
          }),
        ),
        v.minLength(1),
        v.maxLength(100),
      ),
    }),
  ),
};

type ToolOptions = { pictures: PictureShow; isOutlineShortened: boolean };

/** Offers only the tools that this task can use. */
export const toolsFor = (workspace: Workspace, { pictures, isOutlineShortened }: ToolOptions): ToolSet => ({
  ...(isOutlineShortened ? outlineTool(workspace) : {}),
  ...(workspace.files.length > 0 ? readingTools(workspace) : {}),
  ...(workspace.files.some((file) => file.pictures) ? pictureTool(pictures) : {}),
  ...(hasLongRules(workspace) ? rulesTool(workspace) : {}),
  calculate: tool({
    description:
      'Exact: + - * / ^ %, sum, avg, median, round(x, decimals), percent(part, whole), change(from, to), days(from, to); ' +
      '2026-03-31 + 3 months; 3 ft + 2 in to cm; 12.50 EUR * 3.',
    inputSchema: INPUTS.expression,
    async execute({ expression }) {
      const result = calculate(expression);
      recordResult(workspace, { tool: 'calculate', input: expression, output: JSON.stringify(result) });
      return result;
    },
  }),
  save_file: tool({
    description: 'Saves a text file.',
    inputSchema: INPUTS.file,
    execute: async ({ name, content }) => saveText(workspace, name, content),
  }),
  save_table: tool({
    description:
      'Saves an .xlsx or .csv. Numbers are written 1234.5, 63.3 % as 63.3, dates 2026-03-31; currency is an ISO code.',
    inputSchema: INPUTS.table,
    execute: async ({ name, sheets }) => withSaveErrors(saveTable(workspace, name, sheets)),
  }),
  save_report: tool({
    description: 'Saves a .pdf, .html or .md; texts without Markdown.',
    inputSchema: INPUTS.report,
    execute: async (report) => withSaveErrors(saveReport(workspace, report)),
  }),
  read_saved_file: tool({
    description: 'Reads a file that this task saved.',
    inputSchema: INPUTS.saved,
    execute: async ({ name, page = 1 }) => readSaved(workspace, name, page),
  }),
});

const outlineTool = (workspace: Workspace) => ({
  list_files: tool({
    description: 'The whole outline of a file, in pages.',
    inputSchema: INPUTS.outline,
    execute: async ({ file, page = 1 }) => listFile(workspace, file, page),
  }),
});

const readingTools = (workspace: Workspace) => ({
  read_file: tool({
    description:
      'Reads a place: "page 3", "pages 3-5", "sheet Costs", "Costs!B4:F40", "lines 10-40", "section 4", a heading; or a reading page.',
    inputSchema: INPUTS.place,
    execute: async ({ file, page, place }) =>
      place === undefined ? readPage(workspace, file, page ?? 1) : readPlace(workspace, file, place),
  }),
  query_table: tool({
    description:
      'One SQLite SELECT over the tables of the files; without sql, lists them. Sums are exact, dates ISO texts; ' +
      '<column>_text is as shown, row its number, is_total a likely total, fold(text) without case and accents; ' +
      'a table with `parts` has their rows. `used` names rows to cite.',
    inputSchema: INPUTS.sql,
    execute: async ({ sql }) => runTableQuery(workspace, sql),
  }),
  search_files: tool({
    description: 'Finds the places that fit words best.',
    inputSchema: INPUTS.query,
    execute: async ({ query }) => searchFiles(workspace, query),
  }),
});

const pictureTool = (pictures: PictureShow) => ({
  show_picture: tool({
    description: 'Shows a picture again.',
    inputSchema: INPUTS.picture,
    execute: async ({ file, page }) =>
      pictures.request(file, page) ? { shown: true } : { error: 'There is no such picture.' },
  }),
});

const rulesTool = (workspace: Workspace) => ({
  consult_rulesets: tool({
    description: 'Searches the rulesets.',
    inputSchema: INPUTS.query,
    execute: async ({ query }) => searchRulesets(workspace, query),
  }),
});

/** A file that takes too long to be written is reported to the model and does not end the task. */
async function withSaveErrors<Outcome>(saved: Promise<Outcome>): Promise<Outcome | { error: string }> {
  try {
    return await saved;
  } catch (error) {
    if (error instanceof TaskFailure) return { error: error.message };
    throw error;
  }
}
