/** A DNS server on this machine that answers A and AAAA queries from a list. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const TYPES = { A: 1, AAAA: 28 } as const;
type Type = keyof typeof TYPES;
/** IPv6 addresses have all eight groups; a response code may stand in place of addresses; a missing family gets no answer. */
export type Zone = Record<string, Partial<Record<Type, string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silent'>>>;
export type NameServer = { servers: string[]; asked: string[]; close(): void };

const CODES = { NXDOMAIN: 3, SERVFAIL: 2 };
const HEADER_BYTES = 12;
const ANSWER = 0x8180; // with recursion, as asked

export async function nameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4', (query, from) => {
    const { name, type, end } = questionIn(query);
    asked.push(`${name} ${type}`);
    const known = zone[name]?.[type] ?? [];
    if (known !== 'silent') socket.send(answerTo(query.subarray(0, end), type, known), from.port, from.address);
  }).bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { servers: [`127.0.0.1:${socket.address().port}`], asked, close: () => socket.close() };
}

function questionIn(query: Buffer): { name: string; type: Type; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1) === TYPES.A ? 'A' : 'AAAA';
  return { name: labels.join('.'), type, end: at + 5 };
}

function answerTo(question: Buffer, type: Type, known: string[] | keyof typeof CODES): Buffer {
  const [code, addresses] = Array.isArray(known) ? [0, known] : [CODES[known], []];
  const head = Buffer.from(question);
  head.writeUInt16BE(ANSWER | code, 2);
  for (const [at, count] of [1, addresses.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * at);
  return Buffer.concat([head, ...addresses.map((address) => recordOf(type, address))]);
}

function recordOf(type: Type, address: string): Buffer {
  const bytes =
    type === 'A' ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address.replaceAll(':', ''), 'hex');
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPES[type], 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([record, bytes]);
}
