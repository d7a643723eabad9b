/** Sources of the test organizations whose content is part of their definition, so that they are the same everywhere and need no network. */
import { KNOWN_SOURCES } from '../../../shared/agents/agent-input.ts';
import type { Clock, Table } from '../../../shared/ports.ts';
import { putSource } from '../../../shared/sources/stored-sources.ts';

const fees = (published: string, value: number) => ({
  title: 'Baltic port fee index',
  text: `The Baltic port fee index stood at ${value} points on ${published}.`,
  published,
  figures: [{ label: 'Port fee index', value, unit: 'points' }],
});

const ENTRIES: Record<string, object[]> = {
  market_data: [fees('2026-01-01', 104.2), fees('2026-02-01', 107.9), fees('2026-03-01', 111)],
  news_feeds: [
    {
      title: 'Baltic ports raise their fees',
      text: 'Ports along the Baltic raised their port fees by 6.5 per cent on average in 2026, the association of port operators said. Carriers warned that higher fees could shift cargo to rail.',
      published: '2026-03-02',
      address: 'https://news.errand-tests.org/fees',
    },
  ],
  financial_reports: [
    {
      title: 'Annual report of Balt Terminals',
      text: 'Balt Terminals earned 41 million euros with port fees in the Baltic in 2025, 3 million more than a year before.',
      published: '2026-02-20',
    },
  ],
};

/** No server listens there. */
const GONE = { kind: 'feed', address: 'https://no-such-host.errand-files-and-tasks.org/feed' };

type Ports = { table: Table; clock: Clock };

/** Replaces the sources shipped with the product, which may use the internet. */
export async function putKnownSources(ports: Ports, organization: string, { withDead }: { withDead: boolean }) {
  for (const name of KNOWN_SOURCES) {
    await putSource(ports, organization, { name, value: { title: name, entries: ENTRIES[name] } });
  }
  if (!withDead) return;
  for (const name of ['gone', 'lost']) {
    await putSource(ports, organization, { name, value: { title: name, connectors: [GONE] } });
  }
}
