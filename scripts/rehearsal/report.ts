/** The recording as a table: what a request that went well asks of AWS, by function and route. */
import type { Call, Recording } from './recorder/recording.ts';

type Line = { what: string; calls: number; units: number };

export function report({ functions, requests, calls }: Recording): string {
  const sections = functions.flatMap(({ name }) => {
    const own = requests.filter((request) => request.function === name);
    const routes = [...new Set(own.map(({ route }) => route))].sort();
    return routes.map((route) => {
      const all = own.filter((request) => request.route === route);
      const well = new Set(all.filter(({ status }) => status < 300).map(({ id }) => id));
      const theirs = calls.filter(({ request = '' }) => well.has(request));
      const title = `${name}  ${route}  (${all.length} requests, ${well.size} of them went well)`;
      return [title, ...linesOf(theirs, well.size).map(shown)].join('\n');
    });
  });
  return [...sections, ...withoutRequest(calls)].join('\n\n');
}

/** Signed addresses and polling, in sums. */
function withoutRequest(calls: Call[]): string[] {
  const others = calls.filter(({ request }) => request === undefined);
  const places = [...new Set(others.map((call) => `${call.function}  ${call.route}`))].sort();
  return places.map((place) => {
    const here = others.filter((call) => `${call.function}  ${call.route}` === place);
    return [`${place}  (in all)`, ...linesOf(here, 1).map(shown)].join('\n');
  });
}

function linesOf(calls: Call[], among: number): Line[] {
  const lines = new Map<string, Line>();
  for (const call of calls) {
    const what = `${call.service} ${call.operation} ${kindOf(call)}`;
    const { calls: before, units } = lines.get(what) ?? { calls: 0, units: 0 };
    lines.set(what, { what, calls: before + 1, units: units + call.units });
  }
  const shares = [...lines.values()].map((line) => ({ ...line, calls: line.calls / among, units: line.units / among }));
  return shares.sort((a, b) => b.calls - a.calls);
}

/** `table`, `index list`, `object`, `bucket`, the name of a queue. */
export function kindOf({ needs }: Pick<Call, 'needs'>): string {
  return [...new Set(needs.map(({ resource }) => kindOfResource(resource)))].join(' + ');
}

export function kindOfResource(resource: string): string {
  const [, , service, , , ...rest] = resource.split(':');
  const place = rest.join(':');
  if (service === 's3') return place.includes('/') ? 'object' : 'bucket';
  if (service === 'dynamodb') return place.includes('/index/') ? `index ${place.split('/').at(-1)}` : 'table';
  return service === 'secretsmanager' ? 'secret' : place;
}

const shown = ({ what, calls, units }: Line): string =>
  `  ${what.padEnd(44)}${calls.toFixed(2).padStart(8)} calls${units.toFixed(2).padStart(8)} units`;
