/** Every page: its place, its name in the menu, and where its program is. */

import type { FunctionComponent } from 'preact';
import type { Config } from './config.ts';

import { matched, type PageLocation, type PageProps, type Params } from './location.ts';
import { AgentsPage } from './pages/agents.tsx';
import type { IconName } from './ui/parts.tsx';
export type PageComponent = FunctionComponent<PageProps>;

export type PageEntry = {
  /** `/agents/:id`: what is named becomes a parameter. */
  pattern: string;
  /** In the menu; what has none is reached from another page. */
  menu?: {
    label: string;
    icon: IconName;
    /** The Files & Tasks API lets no viewer in. */
    isForMembers?: boolean;
  };
  /** Only where this holds, such as on one machine. */
  when?: (config: Config) => boolean;
} & (
  | { /** Comes with the first script. */ page: PageComponent }
  | { /** Loaded when one goes there. */ load: () => Promise<PageComponent> }
);

const FIRST = '/agents';

export const PAGES: PageEntry[] = [
  { pattern: '/agents', menu: { label: 'Agent tasks', icon: 'agents' }, page: AgentsPage },
  { pattern: '/agents/new', load: async () => (await import('./pages/new-agent.tsx')).NewAgentPage },
  { pattern: '/agents/:id', load: async () => (await import('./pages/agent.tsx')).AgentPage },
  {
    pattern: '/prompts',
    menu: { label: 'Prompt tasks', icon: 'prompts', isForMembers: true },
    load: async () => (await import('./pages/prompts.tsx')).PromptsPage,
  },
  { pattern: '/prompts/new', load: async () => (await import('./pages/new-prompt.tsx')).NewPromptPage },
  { pattern: '/prompts/:id', load: async () => (await import('./pages/prompt.tsx')).PromptPage },
  {
    pattern: '/files',
    menu: { label: 'Files', icon: 'files', isForMembers: true },
    load: async () => (await import('./pages/files.tsx')).FilesPage,
  },
  {
    pattern: '/webhooks',
    menu: { label: 'Webhooks', icon: 'hooks' },
    load: async () => (await import('./pages/webhooks.tsx')).WebhooksPage,
  },
  {
    pattern: '/usage',
    menu: { label: 'Usage', icon: 'usage' },
    load: async () => (await import('./pages/usage.tsx')).UsagePage,
  },
  {
    pattern: '/mails',
    menu: { label: 'Mails', icon: 'mail' },
    when: ({ local }) => local !== undefined,
    load: async () => (await import('./pages/mails.tsx')).MailsPage,
  },
];

export type FoundPage = { entry: PageEntry; params: Params };

export function pageAt({ path }: PageLocation, config: Config): FoundPage | undefined {
  const wanted = path === '/' ? FIRST : path;
  for (const entry of PAGES) {
    const params = matched(entry.pattern, wanted);
    if (params && (entry.when?.(config) ?? true)) return { entry, params };
  }
  return undefined;
}
