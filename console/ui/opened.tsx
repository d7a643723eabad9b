/** The page one has gone to, loaded first where it must be. */
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrandError } from '../../client/src/index.ts';
import { faultOf } from '../api.ts';
import type { FoundPage, PageComponent, PageEntry } from '../pages.ts';
import { Fault } from './fault.tsx';
import { Page } from './page.tsx';

type Props = { found: FoundPage | undefined; query: URLSearchParams; path: string };

const loaded = new Map<PageEntry, PageComponent>();

export function Opened({ found, query, path }: Props) {
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
      (cause) => setFault(new ErrandError('NETWORK', 'The program of this page did not come.', { cause })),
    );
  }, [entry, Known]);
  if (Known) return <Known params={params} query={query} />;
  if (fault) return <Broken error={fault} />;
  return <p class="muted wait">Loading…</p>;
}

const Lost = () => (
  <Page title="There is no such page">
    <p>
      The address may be old or mistyped. <a href="#/agents">Go to the tasks</a>
    </p>
  </Page>
);

const Broken = ({ error }: { error: unknown }) => (
  <Page title="This page does not open">
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
