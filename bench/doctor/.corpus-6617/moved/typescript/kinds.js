var Kind = /* @__PURE__ */ ((Kind2) => {
  Kind2["Small"] = "small";
  Kind2["Large"] = "large";
  return Kind2;
})(Kind || {});
var Level = /* @__PURE__ */ ((Level2) => {
  Level2[Level2["Low"] = 1] = "Low";
  Level2[Level2["High"] = 2] = "High";
  return Level2;
})(Level || {});
class Scale {
  constructor(factor) {
    this.factor = factor;
  }
  factor;
  of(value) {
    return value * this.factor;
  }
}
var Units;
((Units2) => {
  Units2.perRow = 3;
})(Units || (Units = {}));
export {
  Kind,
  Level,
  Scale,
  Units
};
