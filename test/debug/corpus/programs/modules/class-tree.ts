// Fault: area shape.radius undefined
abstract class Shape {
  abstract area(): number;
}
class Circle extends Shape {
  radius: { value: number } | undefined;
  area(): number {
    return area(this);
  }
}
function area(shape: Circle): number {
  return Math.PI * shape.radius!.value ** 2;
}
new Circle().area();
