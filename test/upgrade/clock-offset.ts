/** A preload (`node --import`): the clock of this process is ahead of the machine's by ERRAND_TEST_CLOCK_OFFSET milliseconds. */
const offset = Number(process.env.ERRAND_TEST_CLOCK_OFFSET);
const systemNow = Date.now;
Date.now = () => systemNow() + offset;
