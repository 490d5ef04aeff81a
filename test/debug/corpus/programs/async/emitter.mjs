// Fault: onOrder order.lines undefined
import { EventEmitter } from 'node:events';
const bus = new EventEmitter();
function onOrder(order) {
  return order.lines.length;
}
bus.on('order', onOrder);
bus.emit('order', { id: 1 });
