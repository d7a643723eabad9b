/** The frame around every page: the menu, the signed-in user, and the current page. */

import { Component, type ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrandError } from '../client/src/index.ts';
import { faultOf } from './api.ts';
import { config } from './config.ts';
import { usePlace, useStore } from './hooks.ts';
import { SignInPage } from './pages/sign-in.tsx';
import { type FoundPage, PAGES, type PageComponent, type PageEntry, pageAt } from './pages.ts';
import { endSession, maySubmit, type Session, session } from './session.ts';
import { forgetAll } from './submitted-requests.ts';
import { Fault } from './ui/fault.tsx';
import { arrived, Icon, Page } from './ui/parts.tsx';

/** The page one has gone to, loaded first where it must be. */
type Props = { found: FoundPage | undefined; query: URLSearchParams; path: string };

const loaded = new Map<PageEntry, PageComponent>();

function Opened({ found, query, path }: Props) {
  if (!found) return <Lost />;
  const { entry, params } = found;
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
  const Known = 'page' in entry ? entry.page : loaded.get(entry);
  useEffect(() => {
    if (Known || !('load' in entry)) return;
    entry.load().then(
      (page) => {
        loaded.set(entry, page);
        setCount((before) => before + 1);
      },
      (cause) => setFault(new ErrandError('NETWORK', 'The program of this page could not be loaded.', { cause })),
    );
  }, [entry, Known]);
  if (Known) return <Known params={params} query={query} />;
  if (fault) return <Broken error={fault} />;
  return <p class="muted wait">Loading…</p>;
}

const Lost = () => (
  <Page title="There is no such page">
    <p>
      The URL may be outdated or mistyped. <a href="#/agents">Go to the tasks</a>
    </p>
  </Page>
);

const Broken = ({ error }: { error: unknown }) => (
  <Page title="This page cannot be opened">
    <Fault fault={faultOf(error)} onAgain={() => location.reload()} />
  </Page>
);

/** What breaks inside one page leaves the rest usable. */
class Guard extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ error });
  }
  override render() {
    return this.state.error === undefined ? this.props.children : <Broken error={this.state.error} />;
  }
}

/** The frame around every page: the menu, who is signed in, and the page one is at. */
export function App() {
  const begun = useStore(session);
  useEffect(arrived, []);
  // Signing in keeps the current page, as the URL has not changed.
  return begun ? <Frame key={begun.token} begun={begun} /> : <SignInPage />;
}

function Frame({ begun }: { begun: Session }) {
  const location = usePlace();
  const content = useRef<HTMLElement>(null);
  const found = pageAt(location, config);
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
                  <a href={`#${pattern}`} aria-current={isAt(pattern, found?.entry.pattern) ? 'page' : undefined}>
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
          <button type="button" class="button quiet" onClick={leave}>
            <Icon name="out" />
            Sign out
          </button>
        </div>
      </nav>
      <main ref={content} tabIndex={-1}>
        <Opened found={found} query={location.query} path={location.path} />
      </main>
    </div>
  );
}

/** Signing out removes drafts and memories; an expired session keeps them. */
function leave(): void {
  forgetAll();
  endSession('signed-out');
}

/** Below a page of the menu one is still at it. */
const isAt = (pattern: string, current: string | undefined): boolean =>
  current !== undefined && (current === pattern || current.startsWith(`${pattern}/`));
