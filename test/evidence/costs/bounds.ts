/** Upper bounds of costs, checked by a test and shown in docs/operations/costs.md. */
import type { Call, Recording } from '../rehearsal/recorder/recording.ts';
import { rowKind } from '../rehearsal/row-kind.ts';
import { bill } from './bill.ts';
import { JOURNEYS, ratioOf } from './journeys.ts';

export type Bound = { what: string; most: number; found(recording: Recording): number };

const callsOf = (name: string, most: number): Bound => ({
  what: `calls of ${name}`,
  most,
  found: (recording) => bill(recording).find((entry) => entry.name === name)?.calls ?? Number.POSITIVE_INFINITY,
});

const indexWritesOf = (name: string, most: number): Bound => ({
  what: `units of the indexes that ${name} writes`,
  most,
  found: (recording) =>
    bill(recording).find((entry) => entry.name === name)?.writes.indexes ?? Number.POSITIVE_INFINITY,
});

const rateCalls = (way: Call[]): number =>
  way.filter(
    ({ operation, rows: [row] = [] }) => operation === 'UpdateItem' && row !== undefined && rowKind(row) === 'RATE',
  ).length;

/** Writes of task rows in the whole rehearsal: insert, claim, heartbeat, yield, finish, cancel. */
export const isStateWrite = ({ operation, rows: [row] = [] }: Call): boolean =>
  operation === 'PutItem' && row !== undefined && rowKind(row) === 'TASK';

const ratios: Bound[] = JOURNEYS.flatMap((journey) =>
  journey.held === undefined
    ? []
    : [
        {
          what: `times the floor, ${journey.name}`,
          most: journey.held.most,
          found: (recording: Recording) => ratioOf(journey, recording),
        },
      ],
);

export const BOUNDS: Bound[] = [
  ...ratios,
  callsOf('POST /files, for an upload', 1),
  callsOf('POST /files/:fileId/complete', 3),
  indexWritesOf('POST /files, for an upload', 0),
  indexWritesOf('POST /files/:fileId/complete', 2),
  callsOf('POST /tasks, short prompt, no files', 5),
  callsOf('POST /tasks, with a file', 5),
  callsOf('POST /tasks, long prompt', 5),
  callsOf('POST /tasks, long prompt, with a file', 6),
  callsOf('GET /tasks/:taskId, open', 2),
  callsOf('GET /tasks/:taskId, ended', 2),
  callsOf('agents: POST /tasks', 5),
  callsOf('agents: POST /tasks, long query, webhook', 5),
  callsOf('agents: GET /tasks/{task_id}, waiting', 3),
  callsOf('agents: GET /tasks/{task_id}, running', 3),
  callsOf('agents: GET /tasks/{task_id}, ended', 3),
  callsOf('agents: GET /tasks, 20 tasks', 4),
  {
    what: 'calls for the rate limit, of any call of the agent API',
    most: 1,
    found: (recording) =>
      Math.max(...bill(recording).flatMap(({ name, way }) => (name.startsWith('agents: ') ? rateCalls(way) : []))),
  },
  {
    what: "units of the table for any write of a task's state",
    most: 1,
    found: ({ calls }) => Math.max(...calls.filter(isStateWrite).map(({ units, indexUnits }) => units - indexUnits)),
  },
  {
    what: 'transactions',
    most: 0,
    found: ({ calls }) => calls.filter(({ operation }) => operation.startsWith('Transact')).length,
  },
];
