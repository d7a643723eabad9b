/** What chats may hold of files together, and who goes on when it is too much. */
import { expect, test, vi } from 'vitest';
import { roomFor } from '../../engines/agents/chat/room.ts';
import { offlineModel } from '../../engines/model/offline.ts';
import { openAgent } from './opened.ts';

const never = new AbortController().signal;
const aTurn = () => new Promise((resolve) => setImmediate(resolve));

/** In the order in which they are let go on. */
function waitingIn(room: ReturnType<typeof roomFor>) {
  const gone: string[] = [];
  const enter = (name: string, signal = never) => {
    const seat = room.enter();
    const free = seat.free(signal).then(() => gone.push(name));
    return { ...seat, waited: free };
  };
  return { gone, enter };
}

test('while there is room all read on', async () => {
  const { gone, enter } = waitingIn(roomFor(10));
  enter('first').take(9);
  enter('second');
  await aTurn();
  expect(gone).toEqual(['first', 'second']);
});

test('in a full room the one that came first reads on, and each of the others when it has become the first', async () => {
  const { gone, enter } = waitingIn(roomFor(10));
  const first = enter('first');
  first.take(10);
  const second = enter('second');
  enter('third');
  await aTurn();
  expect(gone).toEqual(['first']);
  expect(first.isFree()).toBe(true);
  second.take(10);
  first.leave();
  await aTurn();
  expect(gone).toEqual(['first', 'second']);
  second.leave();
  await aTurn();
  expect(gone).toEqual(['first', 'second', 'third']);
});

test('who is called off while it waits is let go', async () => {
  const { gone, enter } = waitingIn(roomFor(10));
  enter('first').take(10);
  const control = new AbortController();
  const second = enter('second', control.signal);
  control.abort(new Error('called off'));
  await expect(second.waited).rejects.toThrow('called off');
  expect(gone).toEqual(['first']);
});

test('a chat gives up what it keeps for its next step when others need the room, and reads it again when there is some', async () => {
  const room = roomFor(10);
  const offline = offlineModel();
  let other: ReturnType<typeof room.enter> | undefined;
  const doGenerate: typeof offline.doGenerate = (options) => {
    other ??= room.enter();
    other.take(10);
    return offline.doGenerate(options);
  };
  const at = openAgent({ ...offline, doGenerate }, { room });
  const fileIds = [await at.storeText('notes.txt', 'The boiler was serviced on 4 May 2025. It leaks a little.')];
  const read = vi.spyOn(at.blobs, 'read');
  const steps = ['When was the boiler serviced?', 'Does it leak?'].map((instruction, n) => ({
    name: `${n}`,
    instruction,
  }));
  const running = at.run({ prompt: 'Look after the boiler.', fileIds, steps });
  await vi.waitFor(() => expect(other).toBeDefined());
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(read).toHaveBeenCalledTimes(1);
  other?.leave();
  expect((await running).text).toContain('leaks a little');
  expect(read).toHaveBeenCalledTimes(2);
  await at.close();
});

test('a room that fills while chats wait for a place to read lets no more than the first of them read on', async () => {
  const room = roomFor(10);
  const at = openAgent(offlineModel(), { room });
  const fileIds = [await at.storeText('notes.txt', 'The boiler was serviced on 4 May 2025. It leaks a little.')];
  const { read } = at.blobs;
  const gates: (() => void)[] = [];
  const begun = vi.spyOn(at.blobs, 'read').mockImplementation(async (key) => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return read(key);
  });
  const first = room.enter();
  const chats = Array.from({ length: 6 }, () => at.run({ prompt: 'When was the boiler serviced?', fileIds }));
  await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(2));
  first.take(10);
  for (const open of gates.splice(0)) open();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(begun).toHaveBeenCalledTimes(2);
  first.leave();
  const opening = setInterval(() => gates.splice(0).forEach((open) => void open()), 5);
  for (const { text } of await Promise.all(chats)) expect(text).toContain('boiler');
  clearInterval(opening);
  expect(begun).toHaveBeenCalledTimes(6);
  await at.close();
});
