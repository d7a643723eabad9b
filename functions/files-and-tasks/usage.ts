/** The usage of an organization, and the models, workflows and rulesets that its tasks may name. */

import { tasksByDay } from '../../shared/agents/list-agent-tasks.ts';
import { Problem } from '../../shared/core/problem.ts';
import { toIsoTime } from '../../shared/core/time.ts';
import { storageUsed } from '../../shared/files/list-files.ts';
import { type KnowledgeEntry, listKnowledge } from '../../shared/knowledge/knowledge.ts';
import type { Ruleset } from '../../shared/knowledge/rulesets.ts';
import type { Workflow } from '../../shared/knowledge/workflows.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { tokensByDay } from '../../shared/usage/daily-usage.ts';
import { type Route, route } from '../http/route.ts';
import { type FilesContext, pageIn, READS } from './schema.ts';

// `GET /usage`: an organization's tasks and tokens of the last thirty days, and its storage.

/** Reads up to 10,000 tasks and 10,000 files, which costs more than any other read. */
const USAGE_READS: Limit = { name: 'usage', minute: 60 };

export const usageRoute: Route<FilesContext> = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/usage',
  about: "Returns the organization's tasks and tokens by day, and its storage.",
  caller: 'member',
  limit: USAGE_READS,
  replies: { 200: 'The usage of the last 30 days, and what is stored.' },
  async run({ caller: { organization } }, { table, clock }) {
    const [tasks, tokens, storage] = await Promise.all([
      tasksByDay(table, organization, 'files-and-tasks'),
      tokensByDay(table, organization, clock.now()),
      storageUsed(table, organization),
    ]);
    const days = tokens.map(({ date, ...spent }) => ({ date, tasks: tasks.get(date) ?? 0, ...spent }));
    return { status: 200, body: { days, storage } };
  },
});

/** Which models an organization may name in its tasks. */
export const modelRoute: Route<FilesContext> = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/models',
  about: 'Lists the models a task may name; the first is the default.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The names of the models, and the default.' },
  async run({ caller }, { organizationOf }) {
    const organization = await organizationOf(caller.organization);
    if (!organization) throw new Problem('unauthorized', 'Missing or invalid API key');
    return { status: 200, body: { models: organization.models, default: organization.models[0] } };
  },
});

const workflows = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/workflows',
  about: 'Lists the workflows that a task may name, the oldest first.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'One page of the workflows.' },
  async run({ caller: { organization }, query }, { table }) {
    const { rows, next = null } = await listKnowledge<Workflow>(table, 'workflow', { organization, ...pageIn(query) });
    const views = rows.map(({ value }) => ({
      workflowId: value.id,
      ...entryView(value),
      steps: value.steps.map(({ name }) => name),
    }));
    return { status: 200, body: { workflows: views, nextCursor: next } };
  },
});

const rulesets = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/rulesets',
  about: 'Lists the rulesets that a task may name, the oldest first.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'One page of the rulesets.' },
  async run({ caller: { organization }, query }, { table }) {
    const { rows, next = null } = await listKnowledge<Ruleset>(table, 'ruleset', { organization, ...pageIn(query) });
    const views = rows.map(({ value }) => ({
      rulesetId: value.id,
      ...entryView(value),
      characters: value.characters,
    }));
    return { status: 200, body: { rulesets: views, nextCursor: next } };
  },
});

export const knowledgeRoutes: Route<FilesContext>[] = [workflows, rulesets];

const entryView = ({ name, version, createdAt, changedAt }: KnowledgeEntry) => ({
  name,
  version,
  createdAt: toIsoTime(createdAt),
  updatedAt: toIsoTime(changedAt),
});
