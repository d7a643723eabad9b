/** Requests submitted in this tab, for titles and summaries. Limited in number, and deleted with the tab or at sign-out. */

import type { Fact, RequestSummary } from './form/request-summary.ts';
import { session } from './session.ts';
import { claimsIn } from './token-claims.ts';

const MAX_TASKS = 100;
const MAX_TITLE = 200;
const MAX_TEXT = 4_000;

type SubmittedRequests = { key: string; tasks: Map<string, RequestSummary> };
let cached: SubmittedRequests | undefined;

export const submittedRequest = (taskId: string): RequestSummary | undefined => readRequests()?.tasks.get(taskId);

/** Appends facts to the known ones. */
export function remember(taskId: string, { title, facts }: RequestSummary): void {
  cached = undefined;
  const requests = readRequests();
  if (!requests) return;
  const before = requests.tasks.get(taskId);
  const shownFacts = facts.map(([name, text]): Fact => [name, cut(text, MAX_TEXT)]);
  requests.tasks.delete(taskId);
  requests.tasks.set(taskId, {
    title: cut(title || (before?.title ?? ''), MAX_TITLE),
    facts: [...(before?.facts ?? []), ...shownFacts],
  });
  storeRequests(requests);
}

export function forgetAll(): void {
  const key = keyOf();
  cached = undefined;
  if (key) quietly(() => sessionStorage.removeItem(key));
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** Each user has separate entries, even in the same tab. */
function keyOf(): string | undefined {
  const { person } = claimsIn(session.get()?.token ?? '');
  return person && `errand.asked ${person}`;
}

function readRequests(): SubmittedRequests | undefined {
  const key = keyOf();
  if (cached?.key !== key) cached = key ? { key, tasks: read(key) } : undefined;
  return cached;
}

/** Keeps the newest entries; half of those if the storage is full. */
function storeRequests({ key, tasks }: SubmittedRequests): void {
  for (let max = MAX_TASKS; max >= 1; max = Math.floor(max / 2)) {
    for (const id of [...tasks.keys()].slice(0, -max)) tasks.delete(id);
    if (quietly(() => sessionStorage.setItem(key, JSON.stringify([...tasks])))) return;
  }
}

function read(key: string): SubmittedRequests['tasks'] {
  const tasks: SubmittedRequests['tasks'] = new Map();
  quietly(() => {
    for (const [id, { title, facts }] of JSON.parse(sessionStorage.getItem(key) ?? '[]'))
      tasks.set(String(id), { title: String(title), facts: facts.map((fact: unknown[]) => fact.map(String)) });
  });
  return tasks;
}

/** Storage may be forbidden, full, or contain foreign data; then nothing is stored. */
function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
