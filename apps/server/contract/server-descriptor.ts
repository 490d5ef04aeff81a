/** What `klaus.sock.json` reports about the server behind the socket. */
export interface ServerDescriptor {
  url: string;
  pid: number;
  version: string;
  /** True if the command line started it in the background. */
  isDaemon: boolean;
}
