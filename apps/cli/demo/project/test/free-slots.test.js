import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeSlots } from '../src/free-slots.js';

const day = { from: '09:00', to: '12:00' };

test('a room without bookings is free all day', () => {
  assert.deepEqual(freeSlots([], day), [{ start: '09:00', end: '12:00' }]);
});

test('the gaps before, between and after bookings are free', () => {
  const bookings = [
    { start: '11:00', end: '11:30' },
    { start: '09:30', end: '10:00' },
  ];
  assert.deepEqual(freeSlots(bookings, day), [
    { start: '09:00', end: '09:30' },
    { start: '10:00', end: '11:00' },
    { start: '11:30', end: '12:00' },
  ]);
});

test('bookings that touch leave no gap', () => {
  const bookings = [
    { start: '09:00', end: '10:00' },
    { start: '10:00', end: '12:00' },
  ];
  assert.deepEqual(freeSlots(bookings, day), []);
});

test('a short call inside a long meeting does not free the room', () => {
  const bookings = [
    { start: '09:00', end: '11:30' },
    { start: '09:30', end: '10:00' },
  ];
  assert.deepEqual(freeSlots(bookings, day), [{ start: '11:30', end: '12:00' }]);
});

test('gaps shorter than asked for are left out', () => {
  assert.deepEqual(freeSlots([{ start: '09:10', end: '11:40' }], day), [{ start: '11:40', end: '12:00' }]);
});

test('a time that is none is refused', () => {
  assert.throws(() => freeSlots([{ start: '9h', end: '10:00' }], day), /not a time of day: 9h/);
});
