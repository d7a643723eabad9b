/** The files of one task while its steps run in this process: read once, unless others need the room between two steps. */
import type { Work } from '../../../shared/tasks/agent.ts';
import { type DeskFile, weightOf } from './desk.ts';
import type { Room, Seat } from './room.ts';

type Read = (work: Work, seat: Seat) => Promise<DeskFile[]>;

export function keptFiles(room: Room, read: Read) {
  let kept: DeskFile[] | undefined;
  return async <T>(work: Work, run: (files: DeskFile[]) => Promise<T>): Promise<T> => {
    const seat = room.enter();
    try {
      if (!seat.isFree()) kept = undefined;
      for (const file of kept ?? []) seat.take(weightOf(file));
      kept ??= await read(work, seat);
      return await run(kept);
    } finally {
      seat.leave();
    }
  };
}
