/** Readers find each topic by the word they search for: it stands in a heading of the documents. */
import { expect, it } from 'vitest';
import { headingsIn, linksIn, pages, textOf } from './pages.ts';

const GUIDES = pages('docs/*.md', 'docs/**/*.md').filter((file) => !file.startsWith('docs/adr/'));
const headings = GUIDES.flatMap((file) => headingsIn(textOf(file))).map((heading) => heading.toLowerCase());

const TOPICS = [
  'idempotency',
  'health check',
  'verify signature',
  'retries',
  'default',
  'rate limit',
  'timeout',
  'pagination',
  'SSO',
  'cancel',
  'which API',
  'API key',
  'authentication',
  'roles',
  'circuit breaker',
  'duplicate',
  'errors',
  'environment variables',
  'rollback',
  'prompt injection',
];

it.each(TOPICS)('a heading has the words "%s"', (topic) => {
  expect(headings.filter((heading) => heading.includes(topic.toLowerCase()))).not.toEqual([]);
});

it('lists every page in docs/README.md, once', () => {
  const listed = linksIn('docs/README.md', textOf('docs/README.md')).map(({ path }) => path);
  const [, , ...index] = listed; // without the two links above the list
  const expected = GUIDES.filter((file) => !['docs/README.md', 'docs/tutorial.md'].includes(file));
  expect(index.filter((path) => expected.includes(path)).toSorted()).toEqual(expected.toSorted());
});

const MAX_WORDS = 1_500;

it.each(GUIDES)('%s has sections that can be linked', (file) => {
  const [, ...sections] = textOf(file).split(/^#{2,4} /m);
  const wordsIn = (text: string): number => text.split(/\s+/).length;
  expect(sections.map(wordsIn).filter((words) => words > MAX_WORDS)).toEqual([]);
});
