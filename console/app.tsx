/** The console: its pages, and the frame with the menu and the signed-in user. */
import { Component, type ComponentChildren, type FunctionComponent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrandError } from '../client/src/index.ts';
import { faultOf } from './api.ts';
import { type Config, config } from './config.ts';
import { usePlace } from './current-place.ts';
import { useStore } from './hooks.ts';
import { matchPath, type PageLocation, type PageProps, type Params } from './location.ts';
import { AgentsPage } from './pages/agents.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { endSession, maySubmit, type Session, session } from './session.ts';
import { forgetAll } from './submitted-requests.ts';
import { Fault } from './ui/fault.tsx';
import { Icon, type IconName, leaveFirstPage, Page } from './ui/parts.tsx';

type PageComponent = FunctionComponent<PageProps>;

type PageEntry = {
  /** `/agents/:id`: the named segments become parameters. */
  pattern: string;
  /** The page's menu item; pages without one are reached from other pages. */
  menu?: {
    label: string;
    icon: IconName;
    /** The Files & Tasks API rejects viewers. */
    isForMembers?: boolean;
  };
  /** The page exists only if this is true, for example on one machine. */
  when?: (config: Config) => boolean;
} & (
  | { /** Comes with the first script. */ page: PageComponent }
  | { /** Loaded when one goes there. */ load: () => Promise<PageComponent> }
);

const FIRST = '/agents';

const PAGES: PageEntry[] = [
  { pattern: '/agents', menu: { label: 'Agent tasks', icon: 'agents' }, page: AgentsPage },
  { pattern: '/agents/new', load: async () => (await import('./pages/new-task.tsx')).NewAgentPage },
  { pattern: '/agents/:id', load: async () => (await import('./pages/agent.tsx')).AgentPage },
  {
    pattern: '/prompts',
    menu: { label: 'Prompt tasks', icon: 'prompts', isForMembers: true },
    load: async () => (await import('./pages/prompts.tsx')).PromptsPage,
  },
  { pattern: '/prompts/new', load: async () => (await import('./pages/new-task.tsx')).NewPromptPage },
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

type FoundPage = { entry: PageEntry; params: Params };

function pageAt({ path }: PageLocation, config: Config): FoundPage | undefined {
  const pagePath = path === '/' ? FIRST : path;
  for (const entry of PAGES) {
    const params = matchPath(entry.pattern, pagePath);
    if (params && (entry.when?.(config) ?? true)) return { entry, params };
  }
  return undefined;
}

type Props = { match: FoundPage | undefined; query: URLSearchParams; path: string };

const loaded = new Map<PageEntry, PageComponent>();

/** The current page, loaded first if necessary. */
function CurrentPage({ match, query, path }: Props) {
  if (!match) return <UnknownPage />;
  const { entry, params } = match;
  const isOther = `${entry.pattern} ${JSON.stringify(params)}`;
  return (
    <Guard key={isOther}>
      <Loaded entry={entry} params={params} query={query} key={path} />
    </Guard>
  );
}

function Loaded({ entry, params, query }: Omit<FoundPage, 'entry'> & { entry: PageEntry; query: URLSearchParams }) {
  const [fault, setFault] = useState<unknown>();
  const [, setCount] = useState(0);
  const Loadable = 'page' in entry ? entry.page : loaded.get(entry);
  useEffect(() => {
    if (Loadable || !('load' in entry)) return;
    entry.load().then(
      (page) => {
        loaded.set(entry, page);
        setCount((before) => before + 1);
      },
      (cause) => setFault(new ErrandError('NETWORK', 'The program of this page could not be loaded.', { cause })),
    );
  }, [entry, Loadable]);
  if (Loadable) return <Loadable params={params} query={query} />;
  if (fault) return <PageFault error={fault} />;
  return <p class="muted wait">Loading…</p>;
}

const UnknownPage = () => (
  <Page title="There is no such page">
    <p>
      The URL may be outdated or mistyped. <a href="#/agents">Go to the tasks</a>
    </p>
  </Page>
);

const PageFault = ({ error }: { error: unknown }) => (
  <Page title="This page cannot be opened">
    <Fault fault={faultOf(error)} onAgain={() => location.reload()} />
  </Page>
);

/** Catches errors of a page, so that the rest stays usable. */
class Guard extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }
  override render() {
    return this.state.error === undefined ? this.props.children : <PageFault error={this.state.error} />;
  }
}

/** The frame around every page: the menu, the signed-in user, and the current page. */
export function App() {
  const begun = useStore(session);
  useEffect(leaveFirstPage, []);
  // Signing in keeps the current page, as the URL has not changed.
  return begun ? <Frame key={begun.token} begun={begun} /> : <SignInPage />;
}

function Frame({ begun }: { begun: Session }) {
  const location = usePlace();
  const content = useRef<HTMLElement>(null);
  const match = pageAt(location, config);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => content.current?.focus()}>
        Skip to the content
      </button>
      <nav class="menu" aria-label="Pages">
        <p class="brand">Errand</p>
        <ul>
          {PAGES.map(
            ({ pattern, menu, when }) =>
              menu &&
              (!menu.isForMembers || maySubmit()) &&
              (when?.(config) ?? true) && (
                <li key={pattern}>
                  <a href={`#${pattern}`} aria-current={isAt(pattern, match?.entry.pattern) ? 'page' : undefined}>
                    <Icon name={menu.icon} />
                    {menu.label}
                  </a>
                </li>
              ),
          )}
        </ul>
        <a class="small" href="/docs/" target="_blank" rel="noreferrer">
          Documentation
        </a>
        <div class="who">
          <span class="who-name" title={begun.name}>
            {begun.name}
          </span>
          {begun.role && <span class="small muted">{begun.role}</span>}
          <button type="button" class="button quiet" onClick={signOut}>
            <Icon name="out" />
            Sign out
          </button>
        </div>
      </nav>
      <main ref={content} tabIndex={-1}>
        <CurrentPage match={match} query={location.query} path={location.path} />
      </main>
    </div>
  );
}

/** Signing out removes drafts and stored requests; an expired session keeps them. */
function signOut(): void {
  forgetAll();
  endSession('signed-out');
}

/** Whether a menu item is current: at its page or at a page below it. */
const isAt = (pattern: string, current: string | undefined): boolean =>
  current !== undefined && (current === pattern || current.startsWith(`${pattern}/`));
