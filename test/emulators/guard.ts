/** Ends the processes it was told of when its parent has gone, however that went: then its standard input closes. */

process.stdin.resume().on('close', () => {
  for (const id of process.argv.slice(2)) {
    try {
      process.kill(Number(id), 'SIGKILL');
    } catch {} // it has ended already
  }
});
