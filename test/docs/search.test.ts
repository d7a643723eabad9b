/**
 * The search of the documentation finds what people type, shows why, and puts guides above decisions and the change log. A section is also
 * found by words that it does not use, if a comment below its heading has them: `<!-- search: invite a colleague, team member -->`.
 */
import { describe, expect, it } from 'vitest';
import { buildDocsSite } from '../../scripts/docs-site/build.ts';
import { docsSearch, type MarkedText, type SearchedSection } from '../../scripts/docs-site/search.ts';

const site = buildDocsSite();
const search = docsSearch(JSON.parse(String(site.get('search.json'))) as SearchedSection[]);

/** What a person types, and the section that answers it. */
const QUERIES: [query: string, url: string][] = [
  ['gdpr', 'operations/security.html#where-data-is-kept-and-how-to-delete-it'],
  ['delete my data', 'operations/security.html#where-data-is-kept-and-how-to-delete-it'],
  ['okta', 'guides/sso.html#sso-single-sign-on'],
  ['saml', 'guides/sso.html#sso-single-sign-on'],
  ['terraform', 'operations/deploy.html#deploy-a-stage'],
  ['docker image', 'operations/deploy.html#deploy-a-stage'],
  ['mcp', 'concepts/which-api.html#languages-and-other-tools'],
  ['python client', 'concepts/which-api.html#languages-and-other-tools'],
  ['slack', 'concepts/which-api.html#languages-and-other-tools'],
  ['rerun', 'concepts/task-life-cycle.html#run-a-task-again'],
  ['retry a task', 'concepts/task-life-cycle.html#retries'],
  ['cancel task', 'guides/agent-tasks.html#cancel'],
  ['how do I add a user', 'concepts/organizations.html#api-keys-and-users'],
  ['invite a colleague', 'concepts/organizations.html#api-keys-and-users'],
  ['create api key', 'concepts/organizations.html#api-keys-and-users'],
  ['reset password', 'concepts/organizations.html#api-keys-and-users'],
  ['max file size', 'reference/limits.html#size-limits'],
  ['http 429', 'reference/limits.html#rate-limits'],
  ['timeout', 'reference/limits.html#timeouts'],
  ['excel', 'reference/file-types.html#file-types'],
  ['anthropic', 'guides/connect-a-model.html#with-a-name-and-a-key'],
  ['openai', 'guides/connect-a-model.html#with-a-name-and-a-key'],
  ['ollama', 'guides/connect-a-model.html#in-a-minute-on-one-machine'],
  ['price', 'operations/costs.html#costs'],
  ['webhook signature', 'guides/webhooks.html#verify-signatures'],
  ['streaming', 'guides/chat-tasks.html#poll-for-the-result'],
  ['recurring task', 'guides/notifications.html#schedules'],
  ['smtp', 'guides/notifications.html#on-aws'],
  ['quickstart', 'tutorial.html#tutorial'],
  ['environment variables', 'operations/settings.html#environment-variables'],
];

const urlsFor = (query: string): string[] => search(query).hits.map(({ url }) => url);
const isRecord = (url: string): boolean => /^(adr\/|project\/changelog)/.test(url);
const marked = (parts: MarkedText[]): string[] => parts.flatMap(({ text, isMatch }) => (isMatch ? [text] : []));

describe.each(QUERIES)('"%s"', (query, url) => {
  it('is answered by one of the first three hits', () => {
    expect(urlsFor(query).slice(0, 3)).toContain(url);
  });

  it('has no decision and no entry of the change log above another page', () => {
    const urls = urlsFor(query);
    expect(urls).toEqual([...urls.filter((hit) => !isRecord(hit)), ...urls.filter(isRecord)]);
  });
});

it('leads to a heading of a page', () => {
  for (const [query] of QUERIES) {
    for (const url of urlsFor(query)) {
      const [path = '', anchor] = url.split('#');
      expect(String(site.get(path))).toContain(`id="${anchor}"`);
    }
  }
});

const section = (heading: string, blocks: string[], more: Partial<SearchedSection> = {}): SearchedSection => ({
  page: 'Page',
  heading,
  url: `page.html#${heading}`,
  keywords: '',
  blocks,
  weight: 1,
  ...more,
});

describe('a hit', () => {
  it('shows the paragraph with the words, marked, and not the start of the section', () => {
    const find = docsSearch([section('Limits', ['An introduction.', 'A file may have 512 MiB.', 'A task may wait.'])]);
    const [hit] = find('how large may files be').hits;
    expect(hit?.passage).toEqual([
      { text: 'A ', isMatch: false },
      { text: 'file', isMatch: true },
      { text: ' may have 512 MiB.', isMatch: false },
    ]);
  });

  it('shows a long paragraph around the words', () => {
    const filler = 'something else is said here '.repeat(20);
    const [hit] = docsSearch([section('Limits', [`${filler}until the quota of a tenant ends. ${filler}`])])(
      'quota',
    ).hits;
    const passageText = (hit?.passage ?? []).map(({ text }) => text).join('');
    expect(passageText).toMatch(/^… .*the quota of a tenant ends\. .* …$/);
    expect(passageText.length).toBeLessThan(240);
    expect(marked(hit?.passage ?? [])).toEqual(['quota']);
  });

  it('shows the start of a section that is found by its heading alone, with the words marked there', () => {
    const [hit] = docsSearch([section('Time limits', ['An introduction.'])])('limit').hits;
    expect(marked(hit?.heading ?? [])).toEqual(['limits']);
    expect(hit?.passage).toEqual([{ text: 'An introduction.', isMatch: false }]);
  });
});

it('counts a heading more than the text, and the kind of page more than either', () => {
  const find = docsSearch([
    section('Text', ['How to cancel.']),
    section('Cancel', ['How to stop.']),
    section('Cancel a decision', ['Cancel and cancel.'], { page: 'Decisions', weight: 0.1 }),
  ]);
  expect(find('cancel').hits.map(({ url }) => url)).toEqual([
    'page.html#Cancel',
    'page.html#Text',
    'page.html#Cancel a decision',
  ]);
});

it('leaves room for other pages', () => {
  const sections = ['a', 'b', 'c'].map((heading) => section(heading, ['cancel']));
  const find = docsSearch([...sections, section('d', ['cancel, at great length'], { page: 'Other' })]);
  expect(find('cancel').hits.map(({ page }) => page)).toEqual(['Page', 'Page', 'Other']);
});

describe('a word that is nowhere', () => {
  it('is named, and nothing is found', () => {
    expect(search('xyzzy')).toEqual({ hits: [], unknownWords: ['xyzzy'] });
  });

  it('is named beside what the other words find', () => {
    const { hits, unknownWords } = search('cancel xyzzy');
    expect(unknownWords).toEqual(['xyzzy']);
    expect(hits[0]?.url).toMatch(/#cancel$/);
  });

  it('finds words that differ by a letter', () => {
    const { hits, unknownWords } = search('idempotancy');
    expect(unknownWords).toEqual(['idempotancy']);
    expect(hits[0]?.url).toBe('reference/idempotency.html#idempotency');
  });
});
