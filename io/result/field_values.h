#pragma once

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "mom/postprocess/result_fields.h"

// Kinds of the values that describe() (mom/postprocess/result_fields.h) hands to a
// visitor.
namespace thinwire {

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, Complex>;
template <class T>
inline constexpr bool is_scalar = is_number<T> || std::is_same_v<T, std::string>;

/// Numbers of one field: a vector, or a few of a fixed count.
template <class T>
inline constexpr bool is_numbers = false;
template <class T>
inline constexpr bool is_numbers<std::vector<T>> = is_number<T>;
template <class T, std::size_t n>
inline constexpr bool is_numbers<std::array<T, n>> = is_number<T>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Archetype of a visitor.
struct AnyFieldVisitor {
  void operator()(const auto&, const Field& = {}) {}
  void derived(const auto&, const Field&) {}
};
template <class T>
concept Record = requires(T& record, AnyFieldVisitor& visitor) {
  describe(record, visitor);
};
template <class T>
inline constexpr bool is_record_list = false;
template <Record T>
inline constexpr bool is_record_list<std::vector<T>> = true;

/// Describes a record to a visitor that only reads.
template <Record T>
void describe_const(const T& record, auto& visitor) {
  describe(const_cast<T&>(record), visitor);
}

}  // namespace thinwire
