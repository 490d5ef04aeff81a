import type { Agent } from 'node:http';
import type { Socket } from 'node:net';

/**
 * An agent that checks each new connection before anything is sent. A connection that stays open keeps its owner.
 *
 * @param check Gets the address that accepted the connection. Throws if nothing may be sent to it.
 */
export function createOwnedAgent(isSecure: boolean, check: (at: { host: string; port: number }) => void): Agent {
  const { Agent: AgentClass } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  // As the global agent.
  const agent: Agent = new AgentClass({ keepAlive: true, scheduling: 'lifo', timeout: 5_000 });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const socket = connect(options) as Socket;
    const fail = (error: Error): void => done?.(error, socket);
    socket.once('error', fail);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.off('error', fail);
      try {
        const host = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
        check({ host, port: socket.remotePort ?? 0 });
      } catch (error) {
        socket.destroy();
        return fail(error as Error);
      }
      done?.(null, socket);
    });
    return undefined;
  };
  return agent;
}
