/** How many tasks run at once on one machine, over all lanes: as many as on a new stage, fewer while memory is short. */
import { getHeapStatistics } from 'node:v8';

const USUAL = 200;
const FEW = 50;
/** Tasks may hold the text of whole documents, and what has begun stays: half is left for it to grow. */
const EASY_SHARE = 0.5;

type Heap = Pick<ReturnType<typeof getHeapStatistics>, 'used_heap_size' | 'heap_size_limit'>;

export const tasksAtOnce = (heap: Heap = getHeapStatistics()): number =>
  heap.used_heap_size < heap.heap_size_limit * EASY_SHARE ? USUAL : FEW;
