/** Sources about ports and their fees, as tests need them. */
import { itemsOf, type NewItem, type Served } from './setup.ts';

export const NEWS: NewItem[] = [
  {
    title: 'Baltic ports raise their fees',
    text: 'Ports along the Baltic raised their port fees by 6.5 per cent on average in 2026, the association of port operators said. Gdansk and Riga raised them most. Carriers warned that higher fees could shift cargo to rail. The association expects the increase to slow down next year.',
    publishedAt: '2026-03-02T08:00:00.000Z',
  },
  {
    title: 'Port fees on the Baltic rise: operators',
    text: 'On average, ports along the Baltic have raised their port fees by 6.5 per cent in 2026, said the association of port operators. Gdansk and Riga raised fees most. Carriers warned higher fees could shift cargo to rail.',
    publishedAt: '2026-03-02T11:30:00.000Z',
  },
  {
    title: 'Rotterdam freezes port fees',
    text: 'Rotterdam will freeze its port fees until the end of 2027. The port authority said that carriers should plan for a new tariff after that. Competitors in Antwerp lost market share in container traffic.',
    publishedAt: '2026-02-11T09:00:00.000Z',
  },
  {
    title: 'A new bakery opens in the harbour district',
    text: 'A new bakery opens in the harbour district of Bristol on Monday. It sells bread and cake.',
    publishedAt: '2026-01-11T09:00:00.000Z',
  },
];

export const INDEX: NewItem[] = [
  ['2026-01-01', 104.2],
  ['2026-02-01', 107.9],
  ['2026-03-01', 111],
].map(([day, value]) => ({
  title: 'Baltic port fee index',
  text: `The Baltic port fee index stood at ${value} points on ${day}.`,
  publishedAt: `${day}T00:00:00.000Z`,
  figures: [{ label: 'Port fee index', value: Number(value), unit: 'points' }],
}));

export const QUERY = 'How did port fees in the Baltic change?';

/** As an organization has them. */
export const PORTS: Record<string, Served> = {
  news_feeds: { items: itemsOf('news_feeds', NEWS), queries: 3 },
  market_data: { items: itemsOf('market_data', INDEX), isSample: true },
};
