/** What is to be written: the words that are known, and sections titled by any other. */
import { wordKey } from '../../../shared/agents/research-input.ts';
import { plainWords } from './plain-words.ts';

export type DeliverableKind = 'summary' | 'findings' | 'topic' | 'table' | 'charts' | 'sources';

export type Deliverable = {
  /** As it was asked for. */
  deliverable: string;
  title: string;
  kind: DeliverableKind;
  /** Of a topic: what its sentences are known by. */
  topic?: string;
};

type Known = { key: string; also: string[]; kind: DeliverableKind };

const KNOWN: Known[] = [
  { key: 'executive_summary', also: ['summary', 'abstract', 'overview', 'brief'], kind: 'summary' },
  { key: 'key_findings', also: ['findings', 'insights', 'key_insights', 'highlights'], kind: 'findings' },
  { key: 'market_overview', also: ['market', 'market_size', 'market_analysis'], kind: 'topic' },
  { key: 'competitor_analysis', also: ['competitors', 'competition', 'competitive_analysis'], kind: 'topic' },
  { key: 'trends', also: ['trend_analysis', 'market_trends', 'developments'], kind: 'topic' },
  { key: 'risks', also: ['risk_analysis', 'risk_assessment', 'threats'], kind: 'topic' },
  { key: 'opportunities', also: ['chances'], kind: 'topic' },
  { key: 'recommendations', also: ['recommended_actions', 'next_steps', 'advice'], kind: 'topic' },
  { key: 'data_table', also: ['data_tables', 'table', 'tables', 'data', 'figures'], kind: 'table' },
  { key: 'charts', also: ['chart', 'graphs', 'visualizations', 'visualisations'], kind: 'charts' },
  { key: 'bibliography', also: ['sources', 'references', 'source_list', 'citations'], kind: 'sources' },
];

const USUAL = ['executive_summary', 'key_findings', 'trends', 'risks', 'data_table', 'charts', 'bibliography'];

export function deliverablesIn(asked: readonly string[] | null | undefined): Deliverable[] {
  const wanted = asked?.length ? asked : USUAL;
  const keys = wanted.map((text) => knownBy(wordKey(text))?.key ?? wordKey(text));
  return wanted.filter((_, at) => keys.indexOf(keys[at] ?? '') === at).map((text) => deliverableOf(text.trim()));
}

const knownBy = (key: string): Known | undefined => KNOWN.find((one) => one.key === key || one.also.includes(key));

function deliverableOf(deliverable: string): Deliverable {
  const known = knownBy(wordKey(deliverable));
  const title = titled(plainWords(deliverable));
  if (!known) return { deliverable, title, kind: 'topic', topic: plainWords(deliverable) };
  return { deliverable, title, kind: known.kind, ...(known.kind === 'topic' ? { topic: known.key } : {}) };
}

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
